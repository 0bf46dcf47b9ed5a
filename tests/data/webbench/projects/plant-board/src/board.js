import plants from './assets/plants.json'

const list = document.querySelector('#plants')
const find = document.querySelector('#find')
const watered = new Set()

function row({ name, days }) {
  const item = document.createElement('li')
  item.textContent = `${name}, every ${days} days`
  item.classList.toggle('watered', watered.has(name))
  item.addEventListener('click', () => {
    if (!watered.delete(name)) watered.add(name)
    show()
  })
  return item
}

function show() {
  const wanted = find.value.toLowerCase()
  list.replaceChildren(...plants.filter(({ name }) => name.toLowerCase().includes(wanted)).map(row))
  document.querySelector('#left').textContent = `${plants.length - watered.size} to water`
}

find.addEventListener('input', show)
show()
