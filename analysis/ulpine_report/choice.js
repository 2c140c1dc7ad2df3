(() => {
  const select = document.getElementById("field-choice");
  const blocks = [...document.querySelectorAll("details.choice")];
  const show = () => blocks.forEach((block) => {
    block.open = block.id === select.value;
    block.hidden = !block.open;
  });
  select.closest(".choose").hidden = false;
  select.addEventListener("change", show);
  show();
})();
