import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import type { ErrorDetail } from '../base/errors.ts'

/** What of a validator's error the texts go by. */
type Problem = Pick<FastifySchemaValidationError, 'keyword' | 'instancePath' | 'params' | 'message'>

/**
 * Says what is wrong with each field, in one entry. Where a field has alternatives, the validator reports each that it
 * is not; people want the list of what it may be.
 * @param where what the paths begin with, such as `body`
 */
export function describeProblems(problems: readonly Problem[], where: string): ErrorDetail[] {
  const byField = Map.groupBy(problems, (problem) => `${where}${pathOf(problem)}`)
  return Array.from(byField, ([field, found]) =>
    messagesOf(found).map((message) => ({ field, message })),
  ).flat()
}

function pathOf({ instancePath, params }: Problem): string {
  const { missingProperty } = params as { missingProperty?: string }
  return instancePath.replaceAll('/', '.') + (missingProperty === undefined ? '' : `.${missingProperty}`)
}

function messagesOf(problems: readonly Problem[]): string[] {
  if (!problems.some(({ keyword }) => keyword === 'anyOf')) return problems.map(messageOf)
  // One alternative has the right type: what it misses says more than what the others are.
  const close = problems.find(({ keyword }) => !['anyOf', 'const', 'enum', 'type'].includes(keyword))
  if (close !== undefined) return [messageOf(close)]
  const allowed = problems.flatMap(({ params: { allowedValue, allowedValues, type } }) =>
    [allowedValue, allowedValues, type].flat().filter((one) => one !== undefined),
  )
  return [allowed.length === 1 ? `must be ${allowed[0]}` : `must be one of ${allowed.join(', ')}`]
}

function messageOf({ keyword, params, message }: Problem): string {
  if (keyword === 'required') return 'is required'
  if (keyword === 'const') return `must be ${params.allowedValue}`
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`
  return message ?? 'is invalid'
}
