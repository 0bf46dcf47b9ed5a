import { useEffect, useRef } from "preact/hooks";

export function Modal({ name, options, onPick, onDone }) {
  const box = useRef(null);

  useEffect(() => box.current.focus(), []);

  const onKeyDown = (event) => {
    if (event.key === "Escape") {
      onDone();
    }
    if (event.key === "Tab") {
      const stops = [...box.current.querySelectorAll("button:enabled")];
      const edge = event.shiftKey ? stops[0] : stops.at(-1);
      if (document.activeElement === edge || (event.shiftKey && document.activeElement === box.current)) {
        event.preventDefault();
        (event.shiftKey ? stops.at(-1) : stops[0]).focus();
      }
    }
  };

  const pick = (value) => {
    onPick(value);
    onDone();
  };

  return (
    <div class="backdrop">
      <div class="modal" role="dialog" aria-modal="true" aria-label={name} tabIndex="-1" ref={box} onKeyDown={onKeyDown}>
        <strong>{name}</strong>
        {options.map(({ value, label, taken }) => (
          <button key={value} type="button" disabled={taken} onClick={() => pick(value)}>
            {label}
          </button>
        ))}
        <button type="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </div>
  );
}
