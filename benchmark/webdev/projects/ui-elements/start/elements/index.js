// The library: importing this module defines every element.
