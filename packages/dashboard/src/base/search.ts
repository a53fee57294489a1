/** Reads filters from the search part of an address. Anybody can write an address, so what is no filter is left out. */

/** One of the given values. */
export function choiceOf<Value extends string>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((known) => known === value)
}

/** The id of a thing. */
export function idOf(value: unknown): number | undefined {
  const id = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}

/** A text that is not empty, cut to what the API takes. */
export function textOf(value: unknown, most: number): string | undefined {
  // The router reads `?symbol=1` as a number.
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' ? text.slice(0, most) : undefined
}

/** What is left without the filters that are not set: those do not belong into the address. */
export function setOnly<Filters extends object>(filters: Filters): SetOnly<Filters> {
  return Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value !== undefined),
  ) as SetOnly<Filters>
}

type SetOnly<Filters> = { [Name in keyof Filters]?: Exclude<Filters[Name], undefined> }

/** What the address of a list says besides its filters: the row whose detail is shown beside it. */
export type Open = { open?: number }

/** Reads an address with these filters and the row that is open. */
export function withOpen<Read extends (search: Record<string, unknown>) => object>(
  readFilters: Read,
): (search: Record<string, unknown>) => ReturnType<Read> & Open {
  return (search) => {
    const open = idOf(search.open)
    return { ...(readFilters(search) as ReturnType<Read>), ...(open === undefined ? {} : { open }) }
  }
}
