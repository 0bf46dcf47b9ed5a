// The library: importing this module defines every element.
import "./price-tag.js";
