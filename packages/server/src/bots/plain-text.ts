import { decimal, plain } from '../base/decimals.ts'

/** An amount in the one way in which all are answered: as the database has it, without zeros at the end. */
export function plainText<T extends string | null>(amount: T): T {
  return (amount === null ? null : plain(decimal(amount))) as T
}
