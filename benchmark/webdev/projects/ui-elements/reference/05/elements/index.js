// The library: importing this module defines every element.
import "./copy-field.js";
import "./count-down.js";
import "./price-tag.js";
import "./star-rating.js";
import "./tab-panel.js";
import "./tab-set.js";
