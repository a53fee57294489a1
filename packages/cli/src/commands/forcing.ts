import { wrongUse } from '../failures.ts'
import { settingsEnding } from '../files/layout.ts'
import type { Project } from '../files/project.ts'

/**
 * Checks that `--force` names files of the project. It makes each name the path of the file with settings.
 * @throws {Failure} for a name that is none, so that a slip overwrites nothing
 */
export function demandNamed({ objects }: Project, force: string[]): void {
  for (const [index, name] of force.entries()) {
    const path = name.replace(/\.(js|md|yaml)$/, '') + settingsEnding
    const found = objects.filter((each) => each.path === path || each.path.endsWith(`/${path}`))
    if (found.length === 1) force[index] = found[0]!.path
    else
      throw wrongUse(
        found.length === 0
          ? `There is no file '${name}' in this project.`
          : `'${name}' could be any of these: ${found.map((each) => each.path).join(', ')}.`,
      )
  }
}
