import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import type { ErrorDetail } from '../base/errors.ts'
import { unknownField, unknownFieldMessage } from '../base/unknown-field.ts'

/** The parts of a validator's error that the texts need. */
type Problem = Pick<FastifySchemaValidationError, 'keyword' | 'instancePath' | 'params' | 'message'> & {
  /** The schema of the object that has an unknown field. */
  parentSchema?: Record<string, unknown> | undefined
}

/**
 * Says what is wrong with each field, in one entry. If a field has alternatives, the validator reports an error for each
 * of them, but people want the list of allowed values.
 * @param where the beginning of all paths, such as `body`
 */
export function describeProblems(problems: readonly Problem[], where: string): ErrorDetail[] {
  const byField = Map.groupBy(problems, (problem) => `${where}${pathOf(problem)}`)
  const fields = [...byField.keys()]
  return Array.from(byField, ([field, found]) => {
    // A value that comes close to one alternative has its problem further inside.
    if (hasAlternatives(found) && fields.some((other) => other.startsWith(`${field}.`))) return []
    return messagesOf(found).map((message) => ({ field, message }))
  }).flat()
}

/** The sentence about one problem, for `error`. */
export function sentenceOf({ field = '', message }: ErrorDetail): string {
  const isUnknown = message.startsWith(unknownField)
  const subject = isUnknown ? `\`${field.slice(field.indexOf('.') + 1)}\`` : field
  return `Invalid request: ${subject} ${message}${/[.?]$/.test(message) ? '' : '.'}`
}

function pathOf({ instancePath, params }: Problem): string {
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>
  const name = missingProperty ?? additionalProperty
  return instancePath.replaceAll('/', '.') + (name === undefined ? '' : `.${name}`)
}

function hasAlternatives(problems: readonly Problem[]): boolean {
  return problems.some(({ keyword }) => keyword === 'anyOf')
}

function messagesOf(problems: readonly Problem[]): string[] {
  if (!hasAlternatives(problems)) return problems.map(messageOf)
  // One alternative has the right type. Its problem says more than the list of the others.
  const close = problems.find(({ keyword }) => !['anyOf', 'const', 'enum', 'type'].includes(keyword))
  if (close !== undefined) return [messageOf(close)]
  const allowed = problems.flatMap(({ params: { allowedValue, allowedValues, type } }) =>
    [allowedValue, allowedValues, type].flat().filter((one) => one !== undefined),
  )
  return [allowed.length === 1 ? `must be ${allowed[0]}` : `must be one of ${allowed.join(', ')}`]
}

function messageOf({ keyword, params, message, parentSchema }: Problem): string {
  if (keyword === 'required') return 'is required'
  if (keyword === 'additionalProperties') {
    return unknownFieldMessage(String(params.additionalProperty), Object.keys(parentSchema?.properties ?? {}))
  }
  if (keyword === 'const') return `must be ${params.allowedValue}`
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`
  return message ?? 'is invalid'
}
