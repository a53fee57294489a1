/** The files for Docker Compose and Kubernetes: what they promise, and that the service accepts their settings. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig, roles } from '../packages/server/src/config.ts'
import { misspeltVariables } from '../packages/server/src/start/misspelt-variables.ts'
import { whyMissing } from './programs.ts'
import { read, root } from './repository.ts'

// biome-ignore lint/suspicious/noExplicitAny: manifests have no types here
type Manifest = any

/** The settings as a start would read them; the files of secrets are not here. */
function configOf(settings: Record<string, string>) {
  assert.deepEqual(misspeltVariables(settings), [])
  return readConfig(Object.fromEntries(Object.entries(settings).filter(([name]) => !name.endsWith('_FILE'))))
}

const compose = {
  folder: 'deploy/compose',
  env: { DOMAIN: 'trading.example.com', ADMIN_EMAIL: 'ada@example.com' },
}

function composed(env: Record<string, string>) {
  return spawnSync('docker-compose', ['-f', 'compose.yaml', 'config'], {
    cwd: join(root, compose.folder),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    encoding: 'utf8',
  })
}

test('Docker Compose accepts its file, which has no password, and asks for what it cannot know', {
  skip: whyMissing('docker-compose'),
}, async () => {
  const { status, stdout, stderr } = composed(compose.env)
  assert.equal(status, 0, stderr)
  const { services, secrets, networks } = parse(stdout) as Manifest
  const { environment } = services.tickwright
  const config = configOf(environment)
  assert.equal(config.publicUrl, 'https://trading.example.com')
  const { ipv4_address } = services.caddy.networks.outside
  assert.deepEqual(config.trustedProxies, [ipv4_address])
  const [{ ip_range }] = networks.outside.ipam.config
  const [network, bits] = ip_range.split('/')
  const given = new BlockList()
  given.addSubnet(network, Number(bits))
  assert.ok(!given.check(ipv4_address), 'no other container gets the address that is trusted')
  for (const { environment = {} } of Object.values<Manifest>(services)) {
    for (const [name, value] of Object.entries<string>(environment)) {
      if (/PASSWORD|SECRET|KEY|DATABASE_URL/.test(name)) assert.match(value, /^\/run\/secrets\/\w+$/, name)
    }
  }
  const made = await read(`${compose.folder}/make-secrets`)
  for (const name of Object.keys(secrets)) assert.match(made, new RegExp(`^make ${name} `, 'm'))
  const { read_only, cap_drop, security_opt, volumes } = services.tickwright
  assert.deepEqual([read_only, cap_drop], [true, ['ALL']])
  assert.ok(
    security_opt.includes('no-new-privileges:true') && security_opt.includes('seccomp:../seccomp.json'),
  )
  assert.equal(volumes.length, 1)
  assert.equal(services.tickwright.ports, undefined, 'only Caddy is reachable')
  assert.equal(services.database.ports, undefined)
  const missing = composed({ ...compose.env, DOMAIN: '' })
  assert.notEqual(missing.status, 0)
  assert.match(missing.stderr, /Set DOMAIN in \.env/)
})

const folder = 'deploy/kubernetes'

async function manifests(): Promise<Manifest[]> {
  const { resources } = parse(await read(`${folder}/kustomization.yaml`))
  const files = (await readdir(join(root, folder))).filter((name) => name !== 'kustomization.yaml')
  assert.deepEqual(files.sort(), resources.toSorted(), 'each file is a resource')
  const texts = await Promise.all(files.map((file) => read(`${folder}/${file}`)))
  // Kubernetes reads YAML 1.1.
  return texts.flatMap((text) =>
    parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS()),
  )
}

test('Kubernetes gets a deployment for each role, all with one set of settings that the service accepts', async () => {
  const all = await manifests()
  const ofKind = (kind: string) => all.filter((manifest) => manifest.kind === kind)
  const [settings, ...more] = ofKind('ConfigMap')
  assert.equal(more.length, 0)
  const deployments = ofKind('Deployment')
  assert.deepEqual(
    deployments.map(({ metadata }) => metadata.name).sort(),
    roles.map((role) => `tickwright-${role}`).sort(),
  )
  for (const { metadata, spec } of deployments) {
    const role = metadata.labels['app.kubernetes.io/component']
    const { labels } = spec.template.metadata
    assert.deepEqual(labels, spec.selector.matchLabels, role)
    const [container] = spec.template.spec.containers
    const own = Object.fromEntries(container.env.map(({ name, value }: Manifest) => [name, value]))
    assert.deepEqual([...configOf({ ...settings.data, ...own }).roles], [role])
    assert.equal(container.envFrom[0].configMapRef.name, settings.metadata.name)
    const budget = ofKind('PodDisruptionBudget').find(
      ({ spec }) => spec.selector.matchLabels['app.kubernetes.io/component'] === role,
    )
    assert.ok(budget !== undefined && spec.replicas > budget.spec.maxUnavailable, role)
  }
})

test('each manifest is what the schemas of Kubernetes allow', async () => {
  // Its modules for `import` are missing in the package.
  const load = createRequire(import.meta.url)
  const check = (manifest: Manifest) => {
    const models = load(`kubernetes-models/${manifest.apiVersion}`)
    new models[manifest.kind](manifest).validate()
  }
  const all = await manifests()
  assert.ok(all.length > 10)
  for (const manifest of all) check(manifest)
  const deployment = all.find(({ kind }) => kind === 'Deployment')
  assert.throws(() => check({ ...deployment, spec: { ...deployment.spec, replicas: 'two' } }), /replicas/)
})

test('kustomize makes exactly our manifests, in one namespace, with one image of this version', {
  skip: whyMissing('kubectl'),
}, async (context) => {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], {
    cwd: root,
    encoding: 'utf8',
  })
  if (/unknown field "labels"/.test(stderr)) return context.skip('this kubectl is older than 1.22')
  assert.equal(status, 0, stderr)
  const made = parseAllDocuments(stdout, { version: '1.1' }).map((document) => document.toJS() as Manifest)
  const namesOf = (all: Manifest[]) => all.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()
  assert.deepEqual(namesOf(made), namesOf(await manifests()))
  const { version } = JSON.parse(await read('package.json'))
  for (const { kind, metadata, spec } of made) {
    if (kind !== 'Namespace') assert.equal(metadata.namespace, 'tickwright', `${kind} ${metadata.name}`)
    if (kind !== 'Deployment') continue
    const images = spec.template.spec.containers.map(({ image }: Manifest) => image)
    assert.deepEqual(images, [`images.example.com/tickwright:${version}`])
  }
})

test('pods in Kubernetes have no rights that they do not need, and can be asked whether they work', async () => {
  for (const { kind, spec: outer } of await manifests()) {
    if (kind !== 'Deployment') continue
    const { containers, volumes, securityContext, ...spec } = outer.template.spec
    const [{ securityContext: own, volumeMounts, ...container }] = containers
    assert.equal(spec.automountServiceAccountToken, false)
    // Otherwise a Service named tickwright becomes TICKWRIGHT_PORT, which looks like a misspelt setting.
    assert.equal(spec.enableServiceLinks, false)
    assert.deepEqual(
      [securityContext.runAsNonRoot, securityContext.runAsUser, securityContext.fsGroup],
      [true, 10_001, 10_001],
    )
    assert.deepEqual(own, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    assert.equal(container.livenessProbe.httpGet.path, '/health/live')
    assert.equal(container.readinessProbe.httpGet.path, '/health/ready')
    assert.equal(container.startupProbe.httpGet.path, '/health/live')
    assert.deepEqual(
      volumeMounts.map(({ name }: Manifest) => name),
      volumes.map(({ name }: Manifest) => name),
    )
    const { secret } = volumes.at(-1)
    assert.equal(secret.defaultMode, 0o440, 'the service refuses a secret that every user can read')
  }
})

test('each label that a manifest of Kubernetes looks for is on a pod that they make', async () => {
  const all = await manifests()
  const pods = all
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ spec }) => spec.template.metadata.labels)
  const fits = (wanted: Record<string, string>) =>
    pods.some((labels) => Object.entries(wanted).every(([name, value]) => labels[name] === value))
  for (const { kind, spec } of all) {
    if (kind === 'Service') assert.ok(fits(spec.selector))
    if (kind === 'NetworkPolicy') assert.ok(fits(spec.podSelector.matchLabels))
    if (kind === 'PodDisruptionBudget') assert.ok(fits(spec.selector.matchLabels))
  }
})
