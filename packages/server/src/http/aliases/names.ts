/** The usual ways in which a field has another name. */
import { type OtherNames, Untranslatable } from './alias.ts'

/** Another name of a field with the same values. */
export function renamed(name: string, means: string): OtherNames {
  return { names: { [name]: undefined }, means, read: (given) => ({ [means]: given[name] }) }
}

/** The opposite of one of our switches. */
export function opposite(name: string, means: string): OtherNames {
  return {
    names: { [name]: { type: 'boolean', description: `The opposite of \`${means}\`.` } },
    means,
    read: ({ [name]: value }) => {
      if (typeof value !== 'boolean') throw new Untranslatable(name, 'must be boolean')
      return { [means]: !value }
    },
  }
}
