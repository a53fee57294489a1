import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const help = `Tickwright: a self-hosted trading-automation service.

  npm start                          start the service
  npm start -- --help                show this text
  npm start -- --version             show the version

Settings are environment variables, or lines of a file named .env. The first ones to know:

  PORT=3001 npm start                listen on another port (default 3000)
  HOST=0.0.0.0 npm start             listen on every address (default 127.0.0.1)
  DATA_DIR=/var/lib/tickwright       keep data there (default: the folder data)
  DATABASE_URL=postgres://…          use a PostgreSQL server instead of the embedded database

docs/configuration.md lists all of them.
`

/**
 * Answers what can be answered without starting anything.
 * @returns the text to print and the exit code, or `undefined` when the service is to start
 */
export function answerTo(args: readonly string[]): { text: string; exitCode: 0 | 1 } | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    })
    if (values.help === true) return { text: help, exitCode: 0 }
    if (values.version === true) return { text: `${version()}\n`, exitCode: 0 }
    return undefined
  } catch (error) {
    const { message } = error as Error
    return { text: `${message.split('. ')[0]}. Try: npm start -- --help\n`, exitCode: 1 }
  }
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
