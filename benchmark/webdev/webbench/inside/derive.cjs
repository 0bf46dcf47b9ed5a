// The project's own Playwright configuration with what must differ here and nothing else: who serves the site (we do), which
// browser is started, how it presents itself, and where the report goes. ASSAY_FIRST names the spec file that is to run before
// the others.
const first = process.env.ASSAY_FIRST

// The program that starts the browser gives it the user agent of a stock Chrome, unless another is asked for: a phone may have its
// own. ASSAY_BRANDS is for the first request of a window without an opener, which leaves before.
function within(use) {
  return {
    ...use,
    userAgent: use?.isMobile ? use.userAgent : undefined,
    extraHTTPHeaders: { 'Sec-CH-UA': process.env.ASSAY_BRANDS, ...use?.extraHTTPHeaders },
    launchOptions: { ...use?.launchOptions, executablePath: '/opt/online' },
  }
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
    projects: projects.flatMap((project) => apart({ ...project, use: within({ ...base.use, ...project.use }) }, base)),
    reporter: [['line'], ['json', { outputFile: process.env.ASSAY_REPORT }]],
  }
}
