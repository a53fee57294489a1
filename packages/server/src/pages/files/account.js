/** The pages behind the links in mails: `/signup`, `/reset` and `/email`, each with its token behind `#`. */
import { ask, onSubmit, Refusal, show } from './steps.js'

/** A link that was cut off on its way is told from a whole one before anybody types a password. */
const wholeToken = /^[\w-]{43}$/

const pages = { '/signup': 'signup', '/reset': 'reset', '/email': 'email-change' }
const page = pages[location.pathname]
const token = takeToken()

onSubmit('signup', withLink(signUp))
onSubmit('reset', withLink(reset))
onSubmit('email-change', withLink(confirmEmail))
onSubmit('signup-link', ({ email }) => sendLink('/user', email))
onSubmit('reset-link', ({ email }) => sendLink('/user/password/reset', email))
onSubmit('done', makeKey)
begin()

// Another link, opened in the same tab.
addEventListener('hashchange', () => location.reload())

/** What stands behind `#`; from here on the address bar does not show it. */
function takeToken() {
  const taken = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  return taken
}

async function begin() {
  if (wholeToken.test(token)) return show(page)
  // Opened again after it was done, the page goes on where it ended.
  if (page === 'signup' && token === '') await showAccount().catch(() => show('signup-link'))
  else show(`${page}-link`)
}

/** Does `work` with what was typed, a password twice; where the link is not valid, shows how to get another. */
function withLink(work) {
  return async ({ again, ...given }) => {
    if (again !== given.password) throw new Refusal('The two passwords are different.', { field: 'again' })
    try {
      await work(given)
    } catch (error) {
      if (error.code !== 'token_invalid') throw error
      show(`${page}-link`, error.message)
    }
  }
}

async function signUp({ name, password }) {
  await ask('POST', '/user', { invitation: token, password, ...(name === '' ? {} : { name }) })
  await welcome()
}

async function reset({ password }) {
  const { signed_in: isSignedIn } = await ask('PUT', '/user/password/reset', { token, password })
  if (isSignedIn) return welcome()
  onSubmit('code', async ({ email, totp }) => {
    await ask('POST', '/user/session', { email, password, totp })
    await welcome()
  })
  show('code')
}

async function confirmEmail() {
  const { email } = await ask('PUT', '/user/email', { token })
  tell('new-email', email)
  show('email-changed')
}

/** What is done is done: that the browser is not let in afterwards must not look as if it were not. */
async function welcome() {
  try {
    await showAccount()
  } catch (error) {
    tell('reason', error.message)
    show('apart')
  }
}

async function showAccount() {
  const { email, role } = await ask('GET', '/user/me')
  tell('email', email)
  tell('role', role === 'admin' ? 'an administrator' : 'a user')
  show('done')
}

async function sendLink(path, email) {
  await ask('POST', path, { email })
  show('sent')
}

async function makeKey(_given, form) {
  const { api_key: key, api_secret: secret } = await ask('POST', '/api/key', {
    name: 'First key',
    algorithm: 'HMAC',
  })
  tell('api-key', key)
  tell('api-secret', secret)
  form.hidden = true
  const shown = document.getElementById('key')
  shown.hidden = false
  shown.focus()
}

/** As text: nothing that comes from elsewhere is ever read as markup. */
function tell(id, text) {
  document.getElementById(id).textContent = text
}
