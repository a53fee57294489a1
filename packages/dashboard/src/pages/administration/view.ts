import type { AdministrationSearch } from './search.ts'

/** Changes parts of the address. `undefined` takes one out. */
export type Change = (
  changed: {
    [Name in keyof AdministrationSearch]?: AdministrationSearch[Name] | undefined
  },
) => void

/** What a view of the administration gets: its part of the address. */
export type View = { search: AdministrationSearch; change: Change }
