import { CopyField } from "./copy.js";
import { CountDown } from "./countdown.js";
import { DraftForm } from "./draft.js";
import { PriceTag } from "./price.js";
import { StarRating } from "./stars.js";
import { TabPanel, TabSet } from "./tabs.js";
import { ToastArea } from "./toasts.js";

const tags = {
  "draft-form": DraftForm,
  "toast-area": ToastArea,
  "tab-set": TabSet,
  "tab-panel": TabPanel,
  "copy-field": CopyField,
  "count-down": CountDown,
  "price-tag": PriceTag,
  "star-rating": StarRating,
};

for (const [tag, elementClass] of Object.entries(tags)) {
  customElements.define(tag, elementClass);
}
