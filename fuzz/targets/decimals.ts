import assert from 'node:assert/strict'
import { decimal, plain } from '../../packages/server/src/base/decimals.ts'
import { textTarget } from '../target.ts'

/** A text is an amount that stays the same if printed and read again, or it is refused; JavaScript's numbers agree. */
export default textTarget({
  seeds: ['0', '-1.5', '1e-9', '123456789.000000001', '1E+30', '.5', '5e-324', '00012.10'],
  words: ['e', 'E-', 'e+', '.', '-', '+', '000', '1e200', 'Infinity', 'NaN', '0x', '_', 'n', '\u0660'],
  byteLimit: 260,
  libraries: ['big.js'],
  check: (text) => {
    let value: ReturnType<typeof decimal>
    try {
      value = decimal(text)
    } catch (error) {
      assert.ok(error instanceof RangeError && error.message.length < 120, String(error))
      return
    }
    const printed = plain(value)
    assert.match(printed, /^-?\d+(\.\d+)?$/)
    assert.ok(Number(printed) === Number(text), printed)
    if (printed.length <= 200) assert.ok(decimal(printed).eq(value))
  },
})
