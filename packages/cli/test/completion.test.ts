/** Completion by real shells, at terminals of their own: what Tab shows and writes there. */
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Program, whyMissing } from '../../../test/programs.ts'
import { missing } from '../../../test/shell.ts'
import { type Home, makeHome } from './run.ts'
import { openTerminal } from './terminal.ts'

const program = fileURLToPath(new URL('../bin/tickwright.js', import.meta.url))

type Shell = {
  name: 'bash' | Program
  /** Starts it, without the settings of the machine where it can. */
  command: string
  /** The file that it reads at its start, and what its user has written there, as in `docs/cli.md`. */
  file: string
  settings: string
  /** How often its user presses Tab until it lists what is possible. */
  tabs: string
}

const shells: Shell[] = [
  {
    name: 'bash',
    command: 'bash --noprofile',
    file: '.bashrc',
    settings: "PS1='ready> '\nsource <(tickwright complete bash)",
    tabs: '\t\t',
  },
  {
    name: 'zsh',
    command: 'zsh -d',
    file: '.zshrc',
    settings: "PS1='ready> '\nautoload -Uz compinit && compinit\nsource <(tickwright complete zsh)",
    tabs: '\t',
  },
  {
    name: 'fish',
    command: 'fish',
    file: '.config/fish/config.fish',
    settings: "function fish_prompt; echo -n 'ready> '; end\ntickwright complete fish | source",
    tabs: '\t',
  },
]

for (const { name, command, file, settings, tabs } of shells) {
  const skip = missing('script') || (name === 'bash' ? missing('bash') : whyMissing(name))
  test(`${name} completes commands and options when its user presses Tab`, { skip }, async () => {
    await using home = await homeWith(file, settings)
    const env = { HOME: home.path, PATH: `${home.path}/bin:${process.env.PATH}` }
    using terminal = openTerminal(command, env, 100)
    await terminal.answer(/ready>\s*$/, `tickwright pu${tabs}`)
    // Both of them, and nothing else.
    await terminal.answer(/pull[\s\S]*push/, 'sh --pru\t')
    await terminal.answer(/push --prune/, '\x15exit\r')
    const { screen } = await terminal.ended()
    assert.doesNotMatch(screen, /\bpositions\b|not found/)
  })
}

/** A home whose user has the command line, and a shell with these settings. */
async function homeWith(file: string, settings: string): Promise<Home> {
  const home = await makeHome()
  for (const folder of ['bin', '.config/fish']) await mkdir(join(home.path, folder), { recursive: true })
  await writeFile(join(home.path, file), `${settings}\n`)
  const text = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`
  await writeFile(join(home.path, 'bin/tickwright'), text, { mode: 0o755 })
  return home
}
