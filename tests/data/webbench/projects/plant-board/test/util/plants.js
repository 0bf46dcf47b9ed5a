import fs from 'node:fs'
import path from 'node:path'

const here = import.meta.dirname
const root = process.env.EVAL_PROJECT_ROOT || path.join(here, '../../src')

/** Whether the site under test has this file or folder. */
export const has = (name) => fs.existsSync(path.join(root, name))

/** The text of a file of the site under test. */
export const read = (name) => fs.readFileSync(path.join(root, name), 'utf8')

export const plants = JSON.parse(fs.readFileSync(path.join(here, '../../assets/plants.json'), 'utf8'))

export const names = (page) => page.locator('#plants li')
