document.getElementById("load").addEventListener("click", () => {
  import("./elements/index.js");
});
