-- A database that commit 27e3990d made, by pg_dump: a session that asked a question, and was answered.
SET check_function_bodies = false;
CREATE SCHEMA issuewright;
CREATE FUNCTION issuewright.room_in(of_installation bigint, needed integer, most integer, window_length interval, moment timestamp with time zone) RETURNS double precision
    LANGUAGE sql STABLE
    AS $$
    with used as (
      select
        least(at, moment) as at,
        row_number() over (order by at) - 1 as place, count(*) over () as count
      from issuewright.writes
      where installation = of_installation and at > moment - window_length
    ), over_by as (
      select (select count(*) from used) + needed - most as count
    )
    select case when over_by.count <= 0 then 0 else coalesce((
      select extract(epoch from
        used.at + window_length * (1 + (over_by.count - 1) / used.count) - moment) * 1000
      from used where used.place = (over_by.count - 1) % used.count
    ), extract(epoch from window_length) * 1000) end::double precision
    from over_by
  $$;
CREATE FUNCTION issuewright.take_session(taker text, most_in_repository integer, most_in_installation integer, most integer, weights jsonb) RETURNS text
    LANGUAGE sql
    AS $$
    select pg_advisory_xact_lock(hashtextextended('issuewright.take_session', 0));
    with taken as materialized (
      select sessions.repository_id, sessions.installation
      from issuewright.session_queue join issuewright.sessions on sessions.id = session_id
      where worker is not null
    ), next as (
      select
        queued.session_id, sessions.installation, sessions.repository_id,
        coalesce((weights ->> lower(sessions.owner))::double precision, 1) as weight,
        greatest(coalesce(account.used, 0), coalesce(service.clock, 0)) as account_start,
        greatest(coalesce(repository.used, 0), coalesce(account.clock, 0)) as repository_start
      from issuewright.session_queue as queued
      join issuewright.sessions on sessions.id = queued.session_id
      left join issuewright.shares as service
        on service.installation = 0 and service.repository_id = 0
      left join issuewright.shares as account
        on account.installation = sessions.installation and account.repository_id = 0
      left join issuewright.shares as repository
        on repository.installation = sessions.installation
        and repository.repository_id = sessions.repository_id
      where queued.worker is null and queued.is_woken and queued.not_before <= now()
        and exists (select from issuewright.workers where workers.id = taker)
        and (most is null or (select count(*) from taken) < most)
        and sessions.installation not in (
          select taken.installation from taken group by 1 having count(*) >= most_in_installation)
        and sessions.repository_id not in (
          select taken.repository_id from taken group by 1 having count(*) >= most_in_repository)
      order by
        account_start, sessions.installation, repository_start, sessions.repository_id,
        sessions.created_at, sessions.id
      limit 1
      for no key update of queued skip locked
    ), of_service as (
      insert into issuewright.shares as shares (installation, repository_id, clock)
      select 0, 0, account_start from next
      on conflict (installation, repository_id) do update set clock = excluded.clock
    ), of_account as (
      insert into issuewright.shares as shares (installation, repository_id, used, clock)
      select installation, 0, account_start + 1 / weight, repository_start from next
      on conflict (installation, repository_id)
        do update set used = excluded.used, clock = excluded.clock
    ), of_repository as (
      insert into issuewright.shares as shares (installation, repository_id, used)
      select installation, repository_id, repository_start + 1 from next
      on conflict (installation, repository_id) do update set used = excluded.used
    )
    update issuewright.session_queue as queued set worker = taker, is_woken = false
    from next where queued.session_id = next.session_id
    returning queued.session_id
  $$;
CREATE FUNCTION issuewright.take_writes(of_installation bigint, of_holder text, of_rank integer, of_minute_share double precision, of_hour_share double precision, waits boolean, of_amount integer, is_made boolean, most_in_minute integer, minute interval, most_in_hour integer, hour interval, OUT wait_ms double precision, OUT write_id uuid) RETURNS record
    LANGUAGE plpgsql
    AS $$
  declare
    moment timestamptz;
    waiting issuewright.write_queue;
    own issuewright.write_queue;
    in_minute integer;
    in_hour integer;
    held integer;
    needed integer;
    pause_ms double precision;
  begin
    perform pg_advisory_xact_lock(hashtextextended('issuewright.writes', of_installation));
    moment := clock_timestamp();
    of_amount := least(of_amount, greatest(1, floor(most_in_minute * of_minute_share)::integer));
    delete from issuewright.writes where installation = of_installation and at < moment - hour;
    select coalesce(max(extract(epoch from paused_until - moment)::double precision * 1000), 0)
      into pause_ms from issuewright.write_budget
      where installation = of_installation and paused_until > moment;
    select
      count(*) filter (where at > moment - minute), count(*),
      count(*) filter (where holder = of_holder and at > moment)
      into in_minute, in_hour, held
      from issuewright.writes where installation = of_installation;
    if held < of_amount then
      insert into issuewright.write_queue as queued
        (installation, holder, rank, minute_share, hour_share, amount)
      values (
        of_installation, of_holder, of_rank, of_minute_share, of_hour_share, of_amount - held)
      on conflict (installation, holder) do update set amount = excluded.amount
      returning * into own;
    end if;
    for waiting in
      select * from issuewright.write_queue as queued
      where queued.installation = of_installation and pause_ms = 0
      order by queued.rank, queued.asked_at, queued.holder
    loop
      in_minute := in_minute + waiting.amount;
      in_hour := in_hour + waiting.amount;
      exit when in_minute > greatest(1, floor(most_in_minute * waiting.minute_share))
        or in_hour > greatest(1, floor(most_in_hour * waiting.hour_share));
      insert into issuewright.writes (installation, at, holder)
      select of_installation, moment + 2 * minute, waiting.holder
      from generate_series(1, waiting.amount);
      delete from issuewright.write_queue as queued
      where queued.installation = of_installation and queued.holder = waiting.holder;
    end loop;
    wait_ms := pause_ms;
    select sum(queued.amount) into needed from issuewright.write_queue as queued
      where queued.installation = of_installation
        and (queued.rank, queued.asked_at, queued.holder) <= (own.rank, own.asked_at, own.holder)
        and exists (
          select from issuewright.write_queue as mine
          where mine.installation = of_installation and mine.holder = of_holder);
    if needed is not null then
      wait_ms := ceil(greatest(1, pause_ms,
        issuewright.room_in(of_installation, needed,
          greatest(1, floor(most_in_minute * of_minute_share)::integer), minute, moment),
        issuewright.room_in(of_installation, needed,
          greatest(1, floor(most_in_hour * of_hour_share)::integer), hour, moment)));
      if not waits then
        delete from issuewright.write_queue as queued
        where queued.installation = of_installation and queued.holder = of_holder;
      end if;
    end if;
    if is_made and wait_ms = 0 then
      update issuewright.writes set holder = null, at = moment + minute / 4
      where id = (
        select id from issuewright.writes
        where installation = of_installation and holder = of_holder and at > moment limit 1)
      returning id into write_id;
    end if;
  end
  $$;
CREATE UNLOGGED TABLE issuewright.answers (
    installation bigint NOT NULL,
    question text NOT NULL,
    etag text NOT NULL,
    answer text NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE issuewright.changes (
    session_id text NOT NULL,
    seq integer NOT NULL,
    path text NOT NULL COLLATE pg_catalog."C",
    mode text NOT NULL,
    content bytea
);
CREATE TABLE issuewright.deliveries (
    id text NOT NULL,
    meaning text NOT NULL,
    event text NOT NULL,
    session_id text,
    received_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE issuewright.images (
    session_id text NOT NULL,
    id text NOT NULL,
    content bytea NOT NULL,
    CONSTRAINT images_content_check CHECK ((length(content) <= 4000000))
);
CREATE TABLE issuewright.journal (
    session_id text NOT NULL,
    seq integer NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    version integer NOT NULL,
    type text NOT NULL,
    body text NOT NULL
);
CREATE TABLE issuewright.known_logins (
    login text NOT NULL,
    account_id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT known_logins_login_check CHECK ((login = lower(login)))
);
CREATE TABLE issuewright.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE issuewright.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE issuewright.memories (
    repository_id bigint NOT NULL,
    number integer NOT NULL,
    text text NOT NULL,
    session_id text NOT NULL,
    call text NOT NULL,
    from_strangers boolean NOT NULL,
    words tsvector NOT NULL,
    trigrams text[] NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    used_at timestamp with time zone DEFAULT now() NOT NULL,
    forgotten_by text,
    issue integer NOT NULL,
    CONSTRAINT memories_text_check CHECK ((length(text) <= 4000))
);
CREATE TABLE issuewright.memory_vectors (
    repository_id bigint NOT NULL,
    number integer NOT NULL,
    model text NOT NULL,
    vector bytea NOT NULL
);
CREATE TABLE issuewright.missed_deliveries (
    id text NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    is_settled boolean DEFAULT false NOT NULL,
    first_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    tried_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL
);
CREATE TABLE issuewright.publications (
    session_id text NOT NULL,
    key text NOT NULL,
    remote_id bigint NOT NULL,
    url text NOT NULL,
    digest text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE issuewright.removed_repositories (
    repository_id bigint NOT NULL,
    removed_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE issuewright.request_points (
    installation bigint NOT NULL,
    second timestamp with time zone NOT NULL,
    points integer NOT NULL
);
CREATE TABLE issuewright.results (
    session_id text NOT NULL,
    model text NOT NULL,
    result text NOT NULL,
    rounds integer NOT NULL,
    is_zero_touch boolean NOT NULL,
    dollars double precision NOT NULL,
    is_partial boolean NOT NULL,
    worked_ms bigint NOT NULL,
    begun_at timestamp with time zone NOT NULL,
    active_at timestamp with time zone NOT NULL,
    repository_id bigint NOT NULL,
    sign_ms bigint,
    proposed_ms bigint,
    merged_ms bigint
);
CREATE TABLE issuewright.service_pause (
    one boolean DEFAULT true NOT NULL,
    reason text NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT service_pause_one_check CHECK (one)
);
CREATE TABLE issuewright.session_queue (
    session_id text NOT NULL,
    is_woken boolean DEFAULT true NOT NULL,
    not_before timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    worker text
)
WITH (fillfactor='70');
CREATE TABLE issuewright.sessions (
    id text NOT NULL,
    installation bigint NOT NULL,
    repository_id bigint NOT NULL,
    owner text NOT NULL,
    name text NOT NULL,
    issue integer NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    pull_request integer,
    state text DEFAULT 'queued'::text NOT NULL,
    last_seq integer DEFAULT 0 NOT NULL,
    published_seq integer DEFAULT 0 NOT NULL,
    claim text,
    claimed_at timestamp with time zone,
    wake_at timestamp with time zone,
    publish_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    model text DEFAULT ''::text NOT NULL,
    dollars double precision DEFAULT 0 NOT NULL,
    is_partial boolean DEFAULT false NOT NULL,
    claims integer DEFAULT 0 NOT NULL,
    append_fence integer DEFAULT 0 NOT NULL
);
CREATE TABLE issuewright.shares (
    installation bigint NOT NULL,
    repository_id bigint NOT NULL,
    used double precision DEFAULT 0 NOT NULL,
    clock double precision DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE issuewright.sign_ins (
    key text NOT NULL,
    account_id bigint NOT NULL,
    login text NOT NULL,
    sealed text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE issuewright.snapshots (
    session_id text NOT NULL,
    seq integer NOT NULL,
    version text NOT NULL,
    body text NOT NULL
);
CREATE TABLE issuewright.spending (
    repository_id bigint NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    session_id text NOT NULL,
    seq integer NOT NULL,
    dollars double precision NOT NULL
);
CREATE TABLE issuewright.watermarks (
    source text NOT NULL,
    until timestamp(3) with time zone NOT NULL,
    etag text,
    looked_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE issuewright.workers (
    id text NOT NULL,
    alive_at timestamp with time zone DEFAULT now() NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE issuewright.write_budget (
    installation bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    minute double precision DEFAULT 0 NOT NULL,
    hour double precision DEFAULT 0 NOT NULL,
    paused_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE issuewright.write_queue (
    installation bigint NOT NULL,
    holder text NOT NULL,
    rank integer NOT NULL,
    minute_share double precision NOT NULL,
    hour_share double precision NOT NULL,
    amount integer NOT NULL,
    asked_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE issuewright.writes (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    installation bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    holder text
);
INSERT INTO issuewright.answers VALUES (7000000000, '1f5087db919ced5c123c7f507d3fcce818cb0cf6e77c2f95a8a35e951e03fdb9', 'e', 'a', '2026-11-28 06:54:03.757868+00');
INSERT INTO issuewright.changes VALUES ('hbii2sik8vuf', 15, 'a b.md', '100644', '\x00ff0d0a');
INSERT INTO issuewright.changes VALUES ('hbii2sik8vuf', 15, 'gone', '100644', NULL);
INSERT INTO issuewright.deliveries VALUES ('delivery-1', 'start-1', 'issues', 'hbii2sik8vuf', '2026-11-28 06:54:03.596122+00');
INSERT INTO issuewright.deliveries VALUES ('delivery-2', 'comment-1', 'issues', 'hbii2sik8vuf', '2026-11-28 06:54:03.712045+00');
INSERT INTO issuewright.images VALUES ('hbii2sik8vuf', 'image-1', '\x00ff0d0a');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 2, '2026-11-28 06:54:03.602+00', 1, 'received', '{"delivery":"delivery-1","installation":7000000000,"repository":{"id":403390582508,"owner":"example","name":"sample"},"sender":{"login":"maintainer","id":9},"intent":{"kind":"start","label":"agent","title":"A title","body":"A body"}}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 1, '2026-11-28 06:54:03.602+00', 1, 'opened', '{"installation":7000000000,"repository":{"id":403390582508,"owner":"example","name":"sample"},"issue":1}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 3, '2026-11-28 06:54:03.642+00', 1, 'admitted', '{"received":2,"lineComments":[],"issue":{"title":"A title","body":"A body","digest":"A titleA body"}}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 4, '2026-11-28 06:54:03.642+00', 1, 'run_started', '{"run":1}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 5, '2026-11-28 06:54:03.642+00', 1, 'run_prepared', '{"run":1,"model":"openai:example-model","destination":"OpenAI (api.openai.com)","protocol":"json","mode":"agent","instructions":"You work on one issue of a repository.\n\n# Form of every reply\n…","branch":"issuewright/issue-7","baseBranch":"main","baseCommit":"4b825dc642cb6eb9a060e54bf8d69288fbee4904"}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 6, '2026-11-28 06:54:03.66+00', 1, 'input_read', '{"upTo":3,"text":"# Issue #7: @octo-maintainer requested work on it\n> A title\n\n> A body"}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 7, '2026-11-28 06:54:03.66+00', 1, 'reply', '{"protocol":"json","text":"{\"plan\":\"First I read.\",\"tool_calls\":[{\"tool_name\":\"read_file\",\"arguments\":{\"path\":\"a.md\"}}]}","thought":"First I read.","calls":[{"tool":"read_file","arguments":{"path":"a.md"}}],"answer":null,"fault":null,"stop":"end","native":null,"usage":{"input":5200,"cached":4096,"written":0,"output":310,"reasoning":0},"cost":0.012,"durationMs":2300}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 8, '2026-11-28 06:54:03.66+00', 1, 'call_started', '{"reply":7,"index":0,"title":"read_file"}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 9, '2026-11-28 06:54:03.66+00', 1, 'call_finished', '{"reply":7,"index":0,"ok":true,"output":"one\n","effects":[],"halt":null}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 10, '2026-11-28 06:54:03.66+00', 1, 'notice', '{"topic":"x","text":"Something is new."}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 11, '2026-11-28 06:54:03.66+00', 1, 'compacted', '{"upTo":10,"summary":"Much was done.","usage":{"input":5200,"cached":4096,"written":0,"output":310,"reasoning":0},"cost":0.012,"durationMs":4100}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 12, '2026-11-28 06:54:03.66+00', 1, 'reply', '{"protocol":"json","text":"{\"plan\":\"One step further.\",\"tool_calls\":[{\"tool_name\":\"question\",\"arguments\":{}}]}","thought":"One step further.","calls":[{"tool":"question","arguments":{}}],"answer":null,"fault":null,"stop":"end","native":null,"usage":{"input":5200,"cached":4096,"written":0,"output":310,"reasoning":0},"cost":0.012,"durationMs":2300}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 13, '2026-11-28 06:54:03.66+00', 1, 'call_started', '{"reply":12,"index":0,"title":"question"}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 14, '2026-11-28 06:54:03.66+00', 1, 'call_finished', '{"reply":12,"index":0,"ok":true,"output":"Done.","effects":[{"type":"question","text":"Which?"}],"halt":"asked"}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 15, '2026-11-28 06:54:03.66+00', 1, 'run_ended', '{"run":1,"end":{"kind":"asked"}}');
INSERT INTO issuewright.journal VALUES ('hbii2sik8vuf', 16, '2026-11-28 06:54:03.714+00', 1, 'received', '{"delivery":"delivery-2","installation":7000000000,"repository":{"id":403390582508,"owner":"example","name":"sample"},"sender":{"login":"maintainer","id":9},"intent":{"kind":"comment","on":"issue","commentId":1,"body":"The first."}}');
INSERT INTO issuewright.kysely_migration VALUES ('0001_tables', '2026-11-28T06:54:02.703Z');
INSERT INTO issuewright.kysely_migration VALUES ('0002_memories', '2026-11-28T06:54:02.722Z');
INSERT INTO issuewright.kysely_migration VALUES ('0003_memory_vectors', '2026-11-28T06:54:02.739Z');
INSERT INTO issuewright.kysely_migration VALUES ('0004_images', '2026-11-28T06:54:02.763Z');
INSERT INTO issuewright.kysely_migration VALUES ('0005_results', '2026-11-28T06:54:02.787Z');
INSERT INTO issuewright.kysely_migration VALUES ('0006_missed', '2026-11-28T06:54:02.819Z');
INSERT INTO issuewright.kysely_migration VALUES ('0007_session_queue', '2026-11-28T06:54:02.882Z');
INSERT INTO issuewright.kysely_migration VALUES ('0008_deliveries_without_session', '2026-11-28T06:54:02.888Z');
INSERT INTO issuewright.kysely_migration VALUES ('0009_pull_request_index', '2026-11-28T06:54:02.895Z');
INSERT INTO issuewright.kysely_migration VALUES ('0010_active_index', '2026-11-28T06:54:02.903Z');
INSERT INTO issuewright.kysely_migration VALUES ('0011_writes', '2026-11-28T06:54:02.967Z');
INSERT INTO issuewright.kysely_migration VALUES ('0012_retention', '2026-11-28T06:54:02.982Z');
INSERT INTO issuewright.kysely_migration VALUES ('0013_snapshots', '2026-11-28T06:54:02.996Z');
INSERT INTO issuewright.kysely_migration VALUES ('0014_request_points', '2026-11-28T06:54:03.015Z');
INSERT INTO issuewright.kysely_migration VALUES ('0015_session_list', '2026-11-28T06:54:03.032Z');
INSERT INTO issuewright.kysely_migration VALUES ('0016_sign_ins', '2026-11-28T06:54:03.057Z');
INSERT INTO issuewright.kysely_migration VALUES ('0017_answers', '2026-11-28T06:54:03.092Z');
INSERT INTO issuewright.kysely_migration VALUES ('0018_known_logins', '2026-11-28T06:54:03.119Z');
INSERT INTO issuewright.kysely_migration VALUES ('0019_changes_index', '2026-11-28T06:54:03.141Z');
INSERT INTO issuewright.kysely_migration VALUES ('0020_attempts_compatible', '2026-11-28T06:54:03.151Z');
INSERT INTO issuewright.kysely_migration VALUES ('0021_missed_tries_compatible', '2026-11-28T06:54:03.157Z');
INSERT INTO issuewright.kysely_migration_lock VALUES ('migration_lock', 0);
INSERT INTO issuewright.memories VALUES (403390582508, 1, 'Tests are run with npm test.', 'hbii2sik8vuf', '4.0', false, '''npm'':5 ''run'':3 ''test'':1,6', '{"  t"," te",tes,est,sts,"ts ","  a"," ar",are,"re ","  r"," ru",run,"un ","  w"," wi",wit,ith,"th ","  n"," np",npm,"pm ","st "}', '2026-11-28 06:54:03.726+00', '2026-11-28 06:54:03.72626+00', NULL, 1);
INSERT INTO issuewright.missed_deliveries VALUES ('delivery-3', 1, false, '2026-11-28 06:54:03.748452+00', '2026-11-28 06:54:03.748452+00');
INSERT INTO issuewright.publications VALUES ('hbii2sik8vuf', 'status', 1, 'https://github.example/1', 'a b', '2026-11-28 06:54:03.722241+00');
INSERT INTO issuewright.removed_repositories VALUES (1, '2026-11-28 06:54:03.778213+00');
INSERT INTO issuewright.results VALUES ('hbii2sik8vuf', 'openai:example-model', 'open', 0, true, 0.036000000000000004, false, 18, '2026-11-28 06:54:03.642+00', '2026-11-28 06:54:03.66+00', 403390582508, NULL, NULL, NULL);
INSERT INTO issuewright.session_queue VALUES ('hbii2sik8vuf', true, '-infinity', 0, NULL);
INSERT INTO issuewright.sessions VALUES ('hbii2sik8vuf', 7000000000, 403390582508, 'example', 'sample', 1, 'A title', NULL, 'waiting(answer)', 16, 0, NULL, NULL, NULL, NULL, '2026-11-28 06:54:03.596122+00', '2026-11-28 06:54:03.712045+00', 'openai:example-model', 0.036000000000000004, false, 1, 0);
INSERT INTO issuewright.snapshots VALUES ('hbii2sik8vuf', 3, '5ad61674701291c3', '{}');
INSERT INTO issuewright.spending VALUES (403390582508, '2026-11-28 06:54:03.66+00', 'hbii2sik8vuf', 7, 0.012);
INSERT INTO issuewright.spending VALUES (403390582508, '2026-11-28 06:54:03.66+00', 'hbii2sik8vuf', 11, 0.012);
INSERT INTO issuewright.spending VALUES (403390582508, '2026-11-28 06:54:03.66+00', 'hbii2sik8vuf', 12, 0.012);
INSERT INTO issuewright.watermarks VALUES ('deliveries', '2026-11-28 06:54:03.741+00', 'etag', '2026-11-28 06:54:03.741485+00');
INSERT INTO issuewright.write_budget VALUES (7000000000, '2026-11-28 06:54:03.759832+00', 0, 0, '2026-11-28 06:54:04.759832+00');
INSERT INTO issuewright.write_queue VALUES (7000000000, 'h', 4, 0.7, 0.8, 1, '2026-11-28 06:54:03.764303+00');
ALTER TABLE ONLY issuewright.answers
    ADD CONSTRAINT answers_pkey PRIMARY KEY (installation, question);
ALTER TABLE ONLY issuewright.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (session_id, seq, path);
ALTER TABLE ONLY issuewright.deliveries
    ADD CONSTRAINT deliveries_meaning_key UNIQUE (meaning);
ALTER TABLE ONLY issuewright.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY issuewright.images
    ADD CONSTRAINT images_pkey PRIMARY KEY (session_id, id);
ALTER TABLE ONLY issuewright.journal
    ADD CONSTRAINT journal_pkey PRIMARY KEY (session_id, seq);
ALTER TABLE ONLY issuewright.known_logins
    ADD CONSTRAINT known_logins_pkey PRIMARY KEY (login);
ALTER TABLE ONLY issuewright.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY issuewright.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY issuewright.memories
    ADD CONSTRAINT memories_pkey PRIMARY KEY (repository_id, number);
ALTER TABLE ONLY issuewright.memories
    ADD CONSTRAINT memories_session_id_call_key UNIQUE (session_id, call);
ALTER TABLE ONLY issuewright.memory_vectors
    ADD CONSTRAINT memory_vectors_pkey PRIMARY KEY (repository_id, number);
ALTER TABLE ONLY issuewright.missed_deliveries
    ADD CONSTRAINT missed_deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY issuewright.publications
    ADD CONSTRAINT publications_pkey PRIMARY KEY (session_id, key);
ALTER TABLE ONLY issuewright.removed_repositories
    ADD CONSTRAINT removed_repositories_pkey PRIMARY KEY (repository_id);
ALTER TABLE ONLY issuewright.request_points
    ADD CONSTRAINT request_points_pkey PRIMARY KEY (installation, second);
ALTER TABLE ONLY issuewright.results
    ADD CONSTRAINT results_pkey PRIMARY KEY (session_id);
ALTER TABLE ONLY issuewright.service_pause
    ADD CONSTRAINT service_pause_pkey PRIMARY KEY (one);
ALTER TABLE ONLY issuewright.session_queue
    ADD CONSTRAINT session_queue_pkey PRIMARY KEY (session_id);
ALTER TABLE ONLY issuewright.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY issuewright.sessions
    ADD CONSTRAINT sessions_repository_id_issue_key UNIQUE (repository_id, issue);
ALTER TABLE ONLY issuewright.shares
    ADD CONSTRAINT shares_pkey PRIMARY KEY (installation, repository_id);
ALTER TABLE ONLY issuewright.sign_ins
    ADD CONSTRAINT sign_ins_pkey PRIMARY KEY (key);
ALTER TABLE ONLY issuewright.snapshots
    ADD CONSTRAINT snapshots_pkey PRIMARY KEY (session_id);
ALTER TABLE ONLY issuewright.spending
    ADD CONSTRAINT spending_pkey PRIMARY KEY (repository_id, at, session_id, seq);
ALTER TABLE ONLY issuewright.watermarks
    ADD CONSTRAINT watermarks_pkey PRIMARY KEY (source);
ALTER TABLE ONLY issuewright.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY issuewright.write_budget
    ADD CONSTRAINT write_budget_pkey PRIMARY KEY (installation);
ALTER TABLE ONLY issuewright.write_queue
    ADD CONSTRAINT write_queue_pkey PRIMARY KEY (installation, holder);
ALTER TABLE ONLY issuewright.writes
    ADD CONSTRAINT writes_pkey PRIMARY KEY (id);
CREATE INDEX changes_path ON issuewright.changes USING btree (session_id, path);
CREATE INDEX journal_publishing_blocked ON issuewright.journal USING btree (session_id, seq) WHERE (type = 'publishing_blocked'::text);
CREATE INDEX sessions_active ON issuewright.sessions USING btree (id) WHERE (state = ANY (ARRAY['queued'::text, 'working'::text]));
CREATE INDEX sessions_busy ON issuewright.sessions USING btree (installation) WHERE (state = 'working'::text);
CREATE INDEX sessions_newest ON issuewright.sessions USING btree (created_at, id);
CREATE INDEX sessions_publish_at ON issuewright.sessions USING btree (publish_at) WHERE (publish_at IS NOT NULL);
CREATE INDEX sessions_pull_request ON issuewright.sessions USING btree (pull_request, repository_id) WHERE (pull_request IS NOT NULL);
CREATE INDEX sessions_wake_at ON issuewright.sessions USING btree (wake_at) WHERE (wake_at IS NOT NULL);
CREATE INDEX writes_at ON issuewright.writes USING btree (installation, at);
ALTER TABLE ONLY issuewright.changes
    ADD CONSTRAINT changes_session_id_seq_fkey FOREIGN KEY (session_id, seq) REFERENCES issuewright.journal(session_id, seq);
ALTER TABLE ONLY issuewright.images
    ADD CONSTRAINT images_session_id_fkey FOREIGN KEY (session_id) REFERENCES issuewright.sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY issuewright.journal
    ADD CONSTRAINT journal_session_id_fkey FOREIGN KEY (session_id) REFERENCES issuewright.sessions(id);
ALTER TABLE ONLY issuewright.memory_vectors
    ADD CONSTRAINT memory_vectors_repository_id_number_fkey FOREIGN KEY (repository_id, number) REFERENCES issuewright.memories(repository_id, number) ON DELETE CASCADE;
ALTER TABLE ONLY issuewright.publications
    ADD CONSTRAINT publications_session_id_fkey FOREIGN KEY (session_id) REFERENCES issuewright.sessions(id);
ALTER TABLE ONLY issuewright.session_queue
    ADD CONSTRAINT session_queue_session_id_fkey FOREIGN KEY (session_id) REFERENCES issuewright.sessions(id) ON DELETE CASCADE;
ALTER TABLE ONLY issuewright.snapshots
    ADD CONSTRAINT snapshots_session_id_fkey FOREIGN KEY (session_id) REFERENCES issuewright.sessions(id) ON DELETE CASCADE;
