import { bigint, customType, numeric, timestamp } from 'drizzle-orm/pg-core'

export const bytea = customType<{ data: Buffer; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  fromDriver: (value) => Buffer.from(value),
})
export const id = () => bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity()
export const reference = () => bigint({ mode: 'number' })
export const moment = () => timestamp({ withTimezone: true })
/** Money and amounts: exact decimals, which are strings in code. */
export const decimal = () => numeric()
