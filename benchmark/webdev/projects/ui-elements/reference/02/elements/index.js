// The library: importing this module defines every element.
import "./copy-field.js";
import "./price-tag.js";
