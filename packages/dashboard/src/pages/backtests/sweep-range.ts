/** Ranges among the values of a sweep, such as `5..50/5`. The command line reads the same ones. */
import { stepsOf } from '../../base/decimals.ts'
import { TextProblem } from './text-problem.ts'

/** As the service allows. */
const mostValues = 1_000
const number = String.raw`[+-]?\d{1,15}(?:\.\d{1,15})?`
const range = new RegExp(`^(${number})\\.\\.(${number})(?:/(${number}))?$`)

/** Whether a value is meant as a range, right or wrong: a number, and then two points. */
export const looksLikeRange = (value: string) => /^[+-]?\d[\d.e]*\s*\.\./i.test(value)

/**
 * Each number of a range. Without a step, they are 1 apart.
 * @param where the range stands, as the beginning of a sentence
 * @throws {TextProblem}
 */
export function valuesOfRange(value: string, where: string): string[] {
  const [, first, last, step = '1'] = range.exec(value) ?? []
  if (first === undefined || last === undefined)
    throw new TextProblem(`${where} is no range: ${value}. A range is like 5..50/5, which is 5, 10, … 50.`)
  const values = stepsOf({ first, last, step }, mostValues)
  if (values === 'order')
    throw new TextProblem(
      `${where} never ends: ${value}. A range goes from less to more, and its step is above 0.`,
    )
  if (values === 'many')
    throw new TextProblem(`${where} has more than ${mostValues} values: ${value}. Make its step larger.`)
  return values
}
