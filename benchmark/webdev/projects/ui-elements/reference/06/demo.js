import "./elements/index.js";

const toasts = document.getElementById("toasts");
const reviewForm = document.getElementById("review-form");

document.getElementById("show-toast").addEventListener("click", () => {
  toasts.show("Hello from Fernhill");
});

document.addEventListener("copied", (event) => {
  toasts.show(`${event.target.getAttribute("label")} copied`);
});

reviewForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const stars = document.getElementById("rating").value;
  toasts.show(`Thanks for ${stars} ${stars === 1 ? "star" : "stars"}`);
  reviewForm.reset();
});
