import path from 'node:path'
import { defineConfig } from 'vite'

const root = path.resolve(process.env.EVAL_PROJECT_ROOT || 'src')

export default defineConfig({
  root,
  server: { host: 'localhost', watch: process.env.EVAL ? null : undefined },
  build: { rollupOptions: { input: path.join(root, 'index.html') } },
})
