// The project's own Playwright configuration with what must differ here and nothing else: who serves the site (we do), which
// browser is started, and where the report goes. ASSAY_FIRST names the spec file that is to run before the others.
const first = process.env.ASSAY_FIRST

function within(use) {
  return { ...use, launchOptions: { ...use?.launchOptions, executablePath: '/opt/online' } }
}

// Playwright runs files by name; what belongs to the first of two projects runs before the second, in the same process.
function apart(project, base) {
  if (!first) return [project]
  const ignored = [].concat(project.testIgnore ?? base.testIgnore ?? [], `**/${first}`)
  return [
    { ...project, name: `${project.name ?? ''} first`.trim(), testMatch: [`**/${first}`] },
    { ...project, testIgnore: ignored },
  ]
}

module.exports = (found) => {
  const base = found.default ?? found
  const projects = base.projects?.length ? base.projects : [{}]
  return {
    ...base,
    webServer: undefined,
    use: within(base.use),
    projects: projects.flatMap((project) => {
      const own = project.use?.launchOptions ? { ...project, use: within({ ...base.use, ...project.use }) } : project
      return apart(own, base)
    }),
    reporter: [['line'], ['json', { outputFile: process.env.ASSAY_REPORT }]],
  }
}
