// The library: importing this module defines every element.
import "./copy-field.js";
import "./count-down.js";
import "./price-tag.js";
import "./tab-panel.js";
import "./tab-set.js";
