import type { ErrorObject } from 'ajv'

type Validator = { (value: unknown): boolean; errors: ErrorObject[] | null }

const message = 'must be a number in its plain form, such as 20'

/**
 * Gives each thing only one address. Ajv reads `0020`, `+20`, `20.0` and `2e1` in a path as the number 20. This
 * validator accepts only the plain form.
 */
export function plainNumbersOnly(validate: Validator): Validator {
  const validatePlain = (value: unknown): boolean => {
    const params = value as Record<string, unknown>
    const written = { ...params }
    if (!validate(params)) {
      validatePlain.errors = validate.errors
      return false
    }
    const odd = Object.keys(params).filter(
      (name) => typeof params[name] === 'number' && String(params[name]) !== written[name],
    )
    validatePlain.errors = odd.map(oddNumber)
    return odd.length === 0
  }
  validatePlain.errors = null as ErrorObject[] | null
  return validatePlain
}

function oddNumber(name: string): ErrorObject {
  return { instancePath: `/${name}`, schemaPath: '', keyword: 'plain', params: {}, message }
}
