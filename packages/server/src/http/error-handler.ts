import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, type ErrorCode } from '../base/errors.ts'
import { isDatabaseAway } from '../base/failures.ts'
import { inSentNames } from './aliases/translate.ts'
import { endGently } from './early-answers.ts'
import { errorBody } from './error-body.ts'
import type { App } from './types.ts'
import { describeProblems, sentenceOf } from './validation-problems.ts'

/** Fastify's own refusals, by their code. Any other 4xx of Fastify is a malformed request. */
const fastifyErrors: Record<string, { code: ErrorCode; message: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'body_too_large', message: 'The request body is too large.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'body_not_json',
    message: 'The content type must be application/json.',
  },
  FST_ERR_MAX_PARAM_LENGTH: {
    code: 'route_not_found',
    message: 'The address is too long; nothing is there.',
  },
}

/** Answers every failure in the same shape, `{ error, code, details?, request_id }`. */
export function installErrorHandler(app: App): void {
  app.setErrorHandler(answerFailure)
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0]
    return sendError(
      reply,
      request,
      new AppError('route_not_found', `There is no ${request.method} ${path?.slice(0, 200)}.`),
    )
  })
}

/** Tells of every failed request of the routes in a scope, wherever it failed. A request that succeeds costs nothing. */
export function noticeFailures(
  scope: App,
  notice: (request: FastifyRequest, failure: AppError) => void,
): void {
  scope.setErrorHandler((error: FastifyError, request, reply) => {
    const known = toAppError(error, request)
    notice(request, known)
    return answer(error, known, request, reply)
  })
}

/** Also answers for the router, whose refusals never reach an error handler. */
export function answerFailure(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  return answer(error, toAppError(error, request), request, reply)
}

function answer(
  error: FastifyError,
  known: AppError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (known.status >= 500)
    request.log.error({ err: error, requestId: request.id, req: request }, 'request failed')
  return sendError(reply, request, inSentNames(known, request))
}

export function sendError(reply: FastifyReply, request: FastifyRequest, error: AppError): FastifyReply {
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds))
  endGently(reply)
  // Serialised here, so that an error does not depend on the response schema of the route.
  return reply
    .code(error.status)
    .type('application/json')
    .serializer((body: unknown) => body as string)
    .send(errorBody(error, request.id))
}

function toAppError(error: FastifyError, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error
  if (error.validation !== undefined) return validationError(error)
  const mapped = fastifyErrors[error.code]
  if (mapped !== undefined) return new AppError(mapped.code, mapped.message, { cause: error })
  if (error.statusCode === 429) {
    return new AppError('rate_limited', 'Too many requests.', { cause: error, retryAfterSeconds: 1 })
  }
  if (error.statusCode === 503) {
    return new AppError('service_unavailable', 'The service is overloaded; try again.', {
      cause: error,
      retryAfterSeconds: 1,
    })
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new AppError('request_malformed', 'The request is malformed.', { cause: error })
  }
  if (isDatabaseAway(error)) {
    return new AppError('service_unavailable', 'The service cannot reach its database; try again.', {
      cause: error,
      retryAfterSeconds: 1,
    })
  }
  return new AppError(
    'internal_error',
    `Something went wrong on our side. If you ask for help, give the request id ${request.id}.`,
    {
      cause: error,
    },
  )
}

function validationError(error: FastifyError): AppError {
  const where = error.validationContext ?? 'request'
  const details = describeProblems(error.validation ?? [], where)
  const first = details[0]
  const sentence = first === undefined ? 'The request is invalid.' : sentenceOf(first)
  return new AppError('request_invalid', sentence, { details, cause: error })
}
