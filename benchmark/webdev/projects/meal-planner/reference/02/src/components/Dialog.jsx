import { useId, useLayoutEffect, useRef } from "preact/hooks";

export function Dialog({ title, onClose, children }) {
  const dialog = useRef(null);
  const titleId = useId();

  useLayoutEffect(() => {
    const element = dialog.current;
    element.showModal();
    element.addEventListener("close", onClose);
    return () => {
      element.removeEventListener("close", onClose);
      element.close();
    };
  }, []);

  return (
    <dialog ref={dialog} aria-labelledby={titleId}>
      <h2 id={titleId}>{title}</h2>
      {children}
      <button type="button" onClick={onClose}>
        Cancel
      </button>
    </dialog>
  );
}
