/** What the pages are made of: sections of which one is shown at a time, forms in them, and questions to the API. */

/** Longer than the service takes, so that nobody waits for an answer that got lost. */
const answerTimeoutMs = 30_000

/** Why something was not done, as a sentence for whoever wanted it. */
export class Refusal extends Error {
  /** @param about `code`: the API's word for it; `field`: the name of the input that it is about */
  constructor(message, { code, field } = {}) {
    super(message)
    this.code = code
    this.field = field
  }
}

/** @returns what the API answered; throws a `Refusal` where it refused, or did not answer */
export async function ask(method, path, body) {
  const content = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(`/api/v2${path}`, {
    method,
    ...(body === undefined ? {} : content),
    signal: AbortSignal.timeout(answerTimeoutMs),
  }).catch(() => {
    throw new Refusal(
      'The service did not answer, so it is unknown whether the request was carried out. Try again.',
    )
  })
  const answer = await response.json().catch(() => undefined)
  if (response.ok && answer !== undefined) return answer
  // A proxy in between answers in a form of its own.
  if (typeof answer?.error !== 'string') {
    throw new Refusal(`The response (${response.status}) cannot be read. Try again in a moment.`)
  }
  throw refusalOf(answer)
}

/** What is about one field is told in the words of the page, as far as the API says which. */
function refusalOf({ error, code, details = [] }) {
  const field = details[0]?.field?.replace(/^body\./, '')
  const label =
    field && document.querySelector(`section:not([hidden]) [name="${CSS.escape(field)}"]`)?.labels[0]
  return new Refusal(label ? `${label.textContent} ${details[0].message}.` : error, { code, field })
}

/** Shows one section and no other, and takes keyboard and screen reader there. */
export function show(id, alert = '') {
  for (const section of document.querySelectorAll('section')) section.hidden = section.id !== id
  const section = document.getElementById(id)
  const heading = section.querySelector('h1')
  document.title = `${heading.textContent} – Tickwright`
  heading.focus()
  if (alert !== '') section.querySelector('[role=alert]').textContent = alert
}

/**
 * Has `work` done with what was typed into the form of a section, one at a time however often it is sent; why it was
 * refused is told in the form.
 */
export function onSubmit(id, work) {
  const form = document.querySelector(`#${id} form`)
  const button = form.querySelector('button')
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (button.disabled) return
    button.disabled = true
    refuse(form, { message: '' })
    try {
      await work(Object.fromEntries(new FormData(form)), form)
      form.reset()
    } catch (error) {
      refuse(form, error)
    } finally {
      button.disabled = false
    }
  })
}

function refuse(form, { message, field }) {
  form.querySelector('[role=alert]').textContent = message
  for (const input of form.querySelectorAll('input')) input.ariaInvalid = String(input.name === field)
  form.querySelector('[aria-invalid=true]')?.focus()
}
