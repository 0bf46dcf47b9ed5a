export function createChoice({ type, name, text, checked, onChange }) {
  const input = document.createElement("input");
  Object.assign(input, { type, name, checked });
  input.addEventListener("change", () => onChange(input.checked));
  const label = document.createElement("label");
  label.className = "choice";
  label.append(input, ` ${text}`);
  return label;
}
