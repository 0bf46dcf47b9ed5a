import { DAYS } from "../plan.js";
import { Dialog } from "./Dialog.jsx";

export function CopyDayDialog({ day, onChoose, onClose }) {
  return (
    <Dialog title={`Copy ${day}`} onClose={onClose}>
      <ul class="choices">
        {DAYS.filter((other) => other !== day).map((other) => (
          <li key={other}>
            <button type="button" onClick={() => onChoose(other)}>
              {other}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
