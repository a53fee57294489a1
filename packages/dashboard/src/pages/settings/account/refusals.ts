import { ApiError } from '@tickwright/client'

/** The fields that a refusal is about, and what they show. The service names no field for these. */
const refusals: Record<string, readonly [field: 'password' | 'code', message: string]> = {
  auth_password: ['password', 'The password is wrong.'],
  auth_code: ['code', 'The code is wrong or was already used.'],
  auth_code_missing: ['code', 'A code is needed too.'],
}

/**
 * Lets a form show at its field that the password or the code was wrong.
 * @param fields the names of these fields in the form
 * @throws what `request` throws, with the field in its details
 */
export async function atFields<Answer>(
  request: Promise<Answer>,
  fields: { password?: string; code?: string },
): Promise<Answer> {
  try {
    return await request
  } catch (error) {
    const [kind, message] = (error instanceof ApiError && refusals[error.code]) || []
    const field = kind && fields[kind]
    if (!(error instanceof ApiError) || field === undefined || message === undefined) throw error
    throw new ApiError({
      status: error.status,
      code: error.code,
      message: error.message,
      requestId: error.requestId,
      details: [{ field: `body.${field}`, message }],
    })
  }
}
