const output = document.querySelector('#total')
const undo = document.querySelector('#undo')

function show(total) {
  output.value = String(total)
  undo.disabled = total === 0
  localStorage.setItem('tally', String(total))
}

const kept = Number(localStorage.getItem('tally'))
show(Number.isInteger(kept) && kept > 0 ? kept : 0)
document.querySelector('#add').addEventListener('click', () => show(Number(output.value) + 1))
undo.addEventListener('click', () => show(Number(output.value) - 1))
