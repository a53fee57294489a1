/**
 * `npm run dashboard`: builds the dashboard ahead of the service's start, for example into an image. With `--serve`, it
 * serves the dashboard for developers instead, built again at each reload, and passes all else to a running service.
 */
import { formatSizes } from './sizes.ts'

const usage = 'Usage: npm run dashboard [-- --serve [PORT]]'
const [option, port = '3001', ...rest] = process.argv.slice(2)

if (rest.length > 0 || (option !== undefined && option !== '--serve') || !/^\d{1,5}$/.test(port)) {
  console.error(usage)
  process.exitCode = 2
} else if (option === '--serve') {
  const { serve } = await import('./serve.ts')
  await serve(Number(port), process.env.TICKWRIGHT_URL ?? 'http://127.0.0.1:3000')
} else {
  const { loadBuild } = await import('./build.ts')
  const build = await loadBuild({
    onUnkept: (error) => {
      console.error(`The build cannot be kept: ${error.message}`)
      process.exitCode = 1
    },
  })
  console.log(formatSizes(build))
}
