/** The areas of the settings, in the order of their list. Each has an address: `/settings/keys`. */
export const areas = [
  { id: 'keys', name: 'API keys' },
  { id: 'account', name: 'Account' },
  { id: 'connections', name: 'Connections' },
  { id: 'variables', name: 'Variables' },
  { id: 'notifications', name: 'Notifications' },
  { id: 'mail', name: 'Mail' },
  { id: 'public', name: 'Public strategies' },
  { id: 'appearance', name: 'Appearance' },
] as const

export type AreaId = (typeof areas)[number]['id']
