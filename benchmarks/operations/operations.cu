// SPDX-License-Identifier: Apache-2.0
#include "operations.hpp"

#include "precision/double_float_functions.hpp"

namespace ulpine::operations {

template <class T, class Operation>
__global__ void call(std::int64_t count, Operands<T> const* operands, T* results) {
  auto const i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  results[i] = Operation::of(operands[i]);
}

/// What every other kernel does besides: read.py subtracts it.
struct Nothing {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return x.a;
  }
};
struct Add {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return x.a + x.b;
  }
};
struct Multiply {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return x.a * x.b;
  }
};
struct Fma {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::fma(x.a, x.b, x.c);
  }
};
struct Divide {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return x.a / x.b;
  }
};
struct Sqrt {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::sqrt(x.b);
  }
};
struct Compare {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::max(x.a, x.b);
  }
};
struct Convert {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return static_cast<T>(x.other);
  }
};
struct Exp {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::exp(x.a);
  }
};
struct Exp2 {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::exp2(x.a);
  }
};
struct Log {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::log(x.b);
  }
};
struct Log2 {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::log2(x.b);
  }
};
struct Pow {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::pow(x.b, x.c);
  }
};
struct Sin {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::sin(x.a);
  }
};
struct Cos {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::cos(x.a);
  }
};
struct Tan {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::tan(x.a);
  }
};
struct Atan2 {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::atan2(x.a, x.b);
  }
};
struct Sinh {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::sinh(x.a);
  }
};
struct Cosh {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::cosh(x.a);
  }
};
struct Tanh {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::tanh(x.a);
  }
};
struct Cbrt {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::cbrt(x.b);
  }
};
struct Hypot {
  template <class T>
  __device__ static T of(Operands<T> const& x) {
    return math::hypot(x.a, x.b);
  }
};

template <class T, class... Operations>
void call_each(Cuda cuda, std::int64_t count, Operands<T> const* operands, T* results) {
  auto const blocks = static_cast<unsigned>((count + cuda.block - 1) / cuda.block);
  (call<T, Operations>
   <<<blocks, static_cast<unsigned>(cuda.block), 0, cuda.stream>>>(count, operands, results),
   ...);
}

template <class T>
void call_all(Cuda cuda, std::int64_t count, Operands<T> const* operands, T* results) {
  call_each<T, Nothing, Add, Multiply, Fma, Divide, Sqrt, Compare, Convert, Exp, Exp2, Log, Log2, Pow, Sin,
            Cos, Tan, Atan2, Sinh, Cosh, Tanh, Cbrt, Hypot>(cuda, count, operands, results);
}

template void call_all<double>(Cuda, std::int64_t, Operands<double> const*, double*);
template void call_all<float>(Cuda, std::int64_t, Operands<float> const*, float*);
template void call_all<DoubleFloat>(Cuda, std::int64_t, Operands<DoubleFloat> const*, DoubleFloat*);

}  // namespace ulpine::operations
