import { useEffect } from "preact/hooks";

const TYPING = "textarea, [contenteditable], input:not([type=checkbox])";

/** Calls `undo` on Ctrl+Z or Cmd+Z, but not where someone types, which is the browser's, nor in a dialog. */
export function useUndoKey(undo) {
  useEffect(() => {
    const press = (event) => {
      const wanted = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === "z";
      if (wanted && !event.target.closest(`${TYPING}, dialog`)) {
        event.preventDefault();
        undo();
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [undo]);
}
