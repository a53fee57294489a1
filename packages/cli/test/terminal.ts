import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { patienceMs } from '../../server/test/patience.ts'

/** A program at a terminal of its own. */
export type Terminal = Disposable & {
  /** Types something once the terminal shows a text that it has not shown before. */
  answer(shown: RegExp, typed: string): Promise<void>
  /** Resolves at the end of the program to its exit code and everything that the terminal has shown, without colours. */
  ended(): Promise<{ code: number; screen: string }>
}

/** Runs a command in a terminal of `columns`, which util-linux's `script` makes. */
export function openTerminal(command: string, env: Record<string, string>, columns: number): Terminal {
  const line = `stty cols ${columns} rows 40; exec ${command}`
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    env: { PATH: process.env.PATH!, TERM: 'xterm', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let screen = ''
  let looked = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text
  })
  const end = once(child, 'close')
  const plain = () => stripVTControlCharacters(screen)
  const waiting = (what: string) => {
    const { promise, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error(`Waited in vain for ${what}: ${plain()}`)), patienceMs)
    return { promise, [Symbol.dispose]: () => clearTimeout(timer) }
  }
  return {
    async answer(shown, typed) {
      using limit = waiting(String(shown))
      for (;;) {
        const found = shown.exec(plain().slice(looked))
        if (found !== null) {
          looked += found.index + found[0].length
          break
        }
        const [heard] = await Promise.race([
          once(child.stdout, 'data'),
          end.then(() => [undefined]),
          limit.promise,
        ])
        if (heard === undefined) throw new Error(`The program ended before it showed ${shown}: ${plain()}`)
      }
      child.stdin.write(typed)
    },
    async ended() {
      using limit = waiting('the end')
      const [code] = await Promise.race([end, limit.promise])
      return { code, screen: plain() }
    },
    [Symbol.dispose]: () => child.kill(),
  }
}
