import fc from 'fast-check'
import { valuesTarget } from '../target.ts'

/** Ends the process, as running out of memory would. */
export default valuesTarget(fc.array(fc.integer({ min: 0, max: 9 })), (digits) => {
  if (digits.includes(7)) process.abort()
})
