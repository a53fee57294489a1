/** The usual ways in which a field has another name. */
import { type OtherNames, Untranslatable } from './alias.ts'

/** Another name of a field with the same values. */
export function renamed(name: string, means: string): OtherNames {
  return { names: { [name]: undefined }, means, read: (given) => ({ [means]: given[name] }) }
}

/** Another name of a field, as a boolean. */
export function flag(name: string, means: string, read: (isOn: boolean) => unknown): OtherNames {
  return {
    names: { [name]: { type: 'boolean' } },
    means,
    read: ({ [name]: value }) => {
      if (typeof value !== 'boolean') throw new Untranslatable(name, 'must be boolean')
      return { [means]: read(value) }
    },
  }
}
