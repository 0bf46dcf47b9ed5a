export const list = document.querySelector('#plants')
