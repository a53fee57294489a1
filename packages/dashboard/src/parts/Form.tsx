import { ApiError } from '@tickwright/client'
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { plainText } from '../base/text.ts'
import styles from './form.module.css'
import { Failure } from './Notice.tsx'

/**
 * A form that is sent once at a time, however often its button is pressed. `children` gets whether it is being sent, and
 * what is wrong.
 * @param fields the fields that show their own problems
 */
export function Form({
  onSend,
  fields = [],
  children,
}: {
  onSend: (data: FormData) => Promise<void>
  fields?: readonly string[]
  children: (isSending: boolean, problemOf: (field: string) => string | undefined) => ReactNode
}) {
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>(undefined)
  // State changes only with the next drawing, and Enter can come twice before that.
  const underWay = useRef(false)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    // The first field to correct may be out of sight.
    if (error !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [error])
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (underWay.current) return
    underWay.current = true
    setSending(true)
    setError(undefined)
    try {
      await onSend(new FormData(event.currentTarget))
    } catch (thrown) {
      setError(thrown)
    } finally {
      underWay.current = false
      setSending(false)
    }
  }
  const problemOf = (field: string) => problemAt(error, field)
  const isShownAtFields = fields.some((field) => problemOf(field) !== undefined)
  return (
    <form ref={form} className={styles.form} onSubmit={send} onKeyDown={ignoreHeldEnter} noValidate>
      {children(isSending, problemOf)}
      {error !== undefined && !isShownAtFields && <Failure error={error} isChange />}
    </form>
  )
}

/** Enter that is held would send again once the first answer is there. In an area of text, it writes lines. */
function ignoreHeldEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key === 'Enter' && event.repeat && event.target instanceof HTMLInputElement)
    event.preventDefault()
}

/**
 * What the service says about a field: its details name fields as `body.name`.
 * @param field with `*` at its end, it stands for everything that begins so, and the text names which part is wrong
 */
export function problemAt(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const start = `body.${field.replace(/\*$/, '')}`
  for (const detail of error.details) {
    const named = 'field' in detail ? String(detail.field) : ''
    const isIt = field.endsWith('*') ? named.startsWith(start) : named === start
    if (!isIt) continue
    const part = named.slice(start.length)
    // It may repeat what was entered.
    const message = plainText(String(detail.message))
    return part === '' ? sentence(message) : `${plainText(part)}: ${sentence(message)}`
  }
  return undefined
}

/** The service says it without a subject, to go after the name of the field. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')
}
