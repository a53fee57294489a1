/** The areas of the settings, in the order of their list. Each has an address: `/settings/keys`. */
export const areas = [
  { id: 'keys', name: 'API keys' },
  { id: 'account', name: 'Account' },
  { id: 'connections', name: 'Connections' },
  { id: 'variables', name: 'Variables' },
  { id: 'notifications', name: 'Notifications' },
  { id: 'mail', name: 'Mail' },
  { id: 'public', name: 'Public strategies' },
] as const

export type AreaId = (typeof areas)[number]['id']

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
}

/** Reads the part of the address after `?`. What no area knows is left out. */
export function readSettingsSearch({ tab, kind, id }: Record<string, unknown>): SettingsSearch {
  return {
    ...(typeof tab === 'string' ? { tab } : {}),
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(Number.isSafeInteger(id) && Number(id) > 0 ? { id: Number(id) } : {}),
  }
}
