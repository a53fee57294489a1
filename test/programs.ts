import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Programs of Debian that tests start, and the packages with them. `.ci/run` installs them. */
export const packagesOfPrograms = {
  nginx: 'nginx-light',
  haproxy: 'haproxy',
  caddy: 'caddy',
  promtool: 'prometheus',
  'docker-compose': 'docker-compose',
  'systemd-analyze': 'systemd',
  python3: 'python3',
  zsh: 'zsh',
  fish: 'fish',
  kubectl: 'kubernetes-client',
} as const

export type Program = keyof typeof packagesOfPrograms

const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']

/** Why a test cannot have a program of the system, for its `skip`; `false` if it can. The summary counts what was skipped. */
export function whyMissing(program: Program): string | false {
  if (isInstalled(program)) return false
  return `There is no ${program} here: apt-get install ${packagesOfPrograms[program]}`
}

/** The packages that this machine lacks. */
export function missingPackages(): string[] {
  const programs = Object.keys(packagesOfPrograms) as Program[]
  return programs.filter((program) => !isInstalled(program)).map((program) => packagesOfPrograms[program])
}

const isInstalled = (program: Program) => folders.some((folder) => isProgram(join(folder, program)))

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
