import { setOnly, textOf } from '../../base/search.ts'
import { areas } from '../../shell/settings-areas.ts'

/** @returns `undefined` for an address that no area has */
export function areaOf(text: string): (typeof areas)[number] | undefined {
  return areas.find(({ id }) => id === text)
}

/** What the address of an area may also say. Each area reads only what it has. */
export type SettingsSearch = {
  tab?: string
  /** The kind of what is listed. */
  kind?: string
  /** The one thing that is shown instead of a list. */
  id?: number
  /** The text that a list is searched for. */
  q?: string
  /** The same for the list of models, which is beside another list. */
  model?: string
}

/** Reads the part of the address after `?`. What no area knows is left out. */
export function readSettingsSearch({ tab, kind, id, q, model }: Record<string, unknown>): SettingsSearch {
  return {
    ...(typeof tab === 'string' ? { tab } : {}),
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(Number.isSafeInteger(id) && Number(id) > 0 ? { id: Number(id) } : {}),
    ...setOnly({ q: textOf(q, 100), model: textOf(model, 100) }),
  }
}
