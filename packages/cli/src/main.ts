import { homedir, hostname } from 'node:os'
import { runCommandLine } from './command-line.ts'

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  platform: process.platform,
  home: homedir(),
  cwd: process.cwd(),
  hostname: hostname(),
})
