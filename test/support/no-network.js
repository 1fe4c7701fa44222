// A request to anything but loopback fails the test that made it.
import nock from 'nock';

nock.disableNetConnect();
nock.enableNetConnect(/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/);
nock.restore();
nock.activate();
