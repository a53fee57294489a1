import { type Config, ConfigError, readConfig } from '../../config.ts'
import { misspeltVariables } from '../misspelt-variables.ts'
import { database, dataFolder } from './data.ts'
import { type Finding, reportOf } from './finding.ts'
import { clock, containment, node } from './machine.ts'
import { address, chat, mail, proxy } from './reach.ts'

export type Examined = { text: string; isWell: boolean }

/**
 * Looks at everything that the service needs on this machine, and says what to do. It changes nothing, and works while
 * the service runs and while it does not.
 * @param env the settings; wrong ones are a finding
 * @param asJson one line of JSON for each finding
 */
export async function examine(env: Record<string, string | undefined>, asJson: boolean): Promise<Examined> {
  const findings = await findingsFor(env)
  return {
    text: asJson ? findings.map((finding) => `${JSON.stringify(finding)}\n`).join('') : reportOf(findings),
    isWell: findings.every(({ state }) => state !== 'bad'),
  }
}

async function findingsFor(env: Record<string, string | undefined>): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [
      node(),
      {
        about: 'settings',
        state: 'bad',
        text: error.message,
        remedy: 'docs/configuration.md lists all settings',
      },
    ]
  }
  const misspelt = misspeltVariables(env).map((text): Finding => ({ about: 'settings', state: 'note', text }))
  const found = await Promise.all([
    node(),
    ...misspelt,
    dataFolder(config),
    database(config),
    clock(config),
    address(config),
    proxy(config),
    mail(config),
    chat(config),
    containment(config),
  ])
  return found.flat()
}
