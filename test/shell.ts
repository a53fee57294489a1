import { spawn, spawnSync } from 'node:child_process'
import { longPatienceMs } from '../packages/server/test/patience.ts'

/** A POSIX shell that keeps its variables and functions from one script to the next. */
export type Shell = Disposable & {
  /** Resolves to the standard output of the script; rejects if its last command failed. */
  run(script: string): Promise<string>
}

const limitMs = longPatienceMs

export function openShell(): Shell {
  const child = spawn('sh', [], { env: { PATH: process.env.PATH }, stdio: 'pipe' })
  let output = ''
  let errors = ''
  let heard = () => {}
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    heard()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  return {
    async run(script) {
      const mark = `end-${crypto.randomUUID()}`
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const fail = (why: string) => reject(new Error(`${why}:\n${script}\n${output}${errors}`))
      const timer = setTimeout(() => fail('The shell did not end in time'), limitMs)
      output = ''
      errors = ''
      heard = () => {
        const [before, status] = output.split(mark)
        if (status === undefined || !status.includes('\n')) return
        if (Number(status) === 0) resolve(before!)
        else fail(`The shell ended with ${status.trim()}`)
      }
      child.stdin.write(`{\n${script}\n} < /dev/null\nprintf '${mark} %s\\n' "$?"\n`)
      return promise.finally(() => clearTimeout(timer))
    },
    [Symbol.dispose]: () => child.kill(),
  }
}

/** Why scripts that need these programs cannot run on this machine; `false` if they can. */
export function missing(...programs: string[]): string | false {
  const absent = programs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
  return absent.length > 0 && `${absent.join(', ')} not installed`
}
