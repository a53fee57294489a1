import { distance } from 'fastest-levenshtein'
import { readConfig } from '../config.ts'

const ownPrefix = 'TICKWRIGHT_'

/**
 * Finds variables that were probably meant for the service: those that begin like ours, and those that look like one.
 * @returns a sentence for each
 */
export function misspeltVariables(env: Record<string, string | undefined>): string[] {
  const known = settingNames()
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name)) return []
    const meant = known.find((candidate) => distance(name.toUpperCase(), candidate) <= tolerance(candidate))
    if (meant !== undefined) return [`${name} is not a setting. Did you mean ${meant}?`]
    return name.startsWith(ownPrefix)
      ? [`${name} is not a setting. docs/configuration.md lists all of them.`]
      : []
  })
}

/** Every variable that the service reads. */
function settingNames(): string[] {
  const names = new Set<string>()
  const recorder = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get(_, name) {
        names.add(String(name))
        return undefined
      },
    },
  )
  readConfig(recorder)
  return [...names]
}

/** The differences that still count as a typo. Two swapped letters count as two. Short names resemble those of other programs (HOST, HOME). */
function tolerance(name: string): number {
  if (name.length < 6) return 0
  return name.length < 10 ? 1 : 2
}
