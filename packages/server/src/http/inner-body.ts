import type { ValidateFunction } from 'ajv'
import { AppError } from '../base/errors.ts'
import { closed } from './closed-requests.ts'
import { compile } from './compilers.ts'
import { describeProblems, sentenceOf } from './validation-problems.ts'
import type { Schema } from './walk-schema.ts'

/**
 * Checks an object inside a body, such as one of a list whose items have different schemas. What it accepts and refuses,
 * a route with this schema as its body would, too, and in the same words.
 * @returns a function that throws an `AppError` 400 for an invalid value; fields in details begin with `body.`
 */
export function demandValid(schema: object): (value: unknown) => void {
  const isValid = compile({ schema: closed(schema as Schema), httpPart: 'body', method: 'POST', url: '' })
  return (value) => {
    if (isValid(value) === true) return
    const details = describeProblems(((isValid as ValidateFunction).errors ?? []) as [], 'body')
    const sentence = details[0] === undefined ? 'The request is invalid.' : sentenceOf(details[0])
    throw new AppError('request_invalid', sentence, { details })
  }
}
